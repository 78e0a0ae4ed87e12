import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { withChanges } from '#dashboard/kernel/engine/foreign-changes.ts'
import type { Effect, Plan } from '#shared/kernel/plan.ts'

interface MoveTarget {
  other: ServerRow
  /** The changes before the copy, of what Hosting Control did not make. */
  changes: readonly Effect[]
}

/** Returns the parts of a move, of which the backups decide what else each agent does. */
export function planOfMove(domain: string, here: ServerRow, { other, changes }: MoveTarget): Plan {
  const titles = {
    leaving: `Preparing ${here.name}`,
    backup: `Backing up ${domain} on ${here.name}`,
    certificate: `Copying ${domain} to ${other.name}`,
    way: `Preparing the forwarding to ${other.name}`,
    gathered: `Saving the changes until now on ${here.name}`,
    brought: `Copying the changes until now to ${other.name}`,
    frozen: `Freezing ${domain}`,
    changes: `Saving the changes since then on ${here.name}`,
    'caught-up': `Copying the changes since then to ${other.name}`,
    parted: `Forwarding all requests to ${other.name}`,
    open: `Opening ${domain} on ${other.name}`,
  }
  const steps = Object.entries(titles).map(([name, title]) => ({ name, title, effects: [] }))
  return withChanges({ steps }, 'certificate', changes)
}
