"""What goes wrong in students' code: each component step by step, and a class for each fault.

    <assignment>/<component>.py     run as a cell of the assignment's notebook, never imported

The first class of a file is the component: `of` names what it stands for in the notebook. Each
class derived from it is a fault: it overrides one step, its docstring is what the student reads,
and `item` is the item that is meant to catch it. Faults of different steps combine by inheritance;
`often` of the component names those that are looked for in pairs, too.
"""
