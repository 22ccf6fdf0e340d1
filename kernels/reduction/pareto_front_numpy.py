"""For every point, by how many others it is beaten: no worse in any goal and better in one; 0 marks the Pareto front.

Source: K. Deb et al., IEEE Trans. Evol. Comput. 6 (2), 2002 (domination counts).
"""


def pareto_front(cost, beaten):
    """cost: shape (points, goals), the less the better; beaten: int64, shape (points,)."""
    points, goals = cost.shape
    for i in range(points):
        count = 0
        for j in range(points):
            better = False
            for g in range(goals):
                if cost[j, g] > cost[i, g]:
                    break
                if cost[j, g] < cost[i, g]:
                    better = True
            else:
                if better:
                    count += 1
        beaten[i] = count
