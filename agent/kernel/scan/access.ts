import type { Access } from './answer.ts'
import { Budget, LIMITS } from './budget.ts'
import { become, becomeNobody, identityOf, ownerName } from './identity.ts'
import { siteTree } from './open-tree.ts'
import { query } from './query.ts'

/** This machine, for a process that may change its user, and runs as nobody between scans. */
export function machineAccess(socket: string): Access {
  return {
    socket,
    owner: ownerName,
    read(site, work) {
      const identity = identityOf(site)
      become(identity)
      try {
        const budget = new Budget(LIMITS, () => performance.now())
        const value = work((root) => siteTree(root, budget))
        return { value, limit: budget.reached }
      } finally {
        becomeNobody()
      }
    },
    query: (statement) => query(socket, statement),
  }
}
