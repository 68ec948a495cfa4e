"""What does this object hold? Draws one object of any type, and its references.

`show_refs` of a list draws the list. To begin at several objects, pass the others as
`also`.
"""

import leakgraph

losses = [0.5, 0.25, 0.125]
best = min(losses)
history = {"losses": losses, "best": best, "notes": ["started", "improved"]}

drawing = leakgraph.show_refs(history, max_depth=2)
print(drawing)
drawing.save("history.svg")

leakgraph.show_refs(losses, "two.png", also=[history])
