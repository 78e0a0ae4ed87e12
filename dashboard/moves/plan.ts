import type { ServerRow } from '#dashboard/db/rows.ts'
import type { Plan } from '#shared/plan.ts'

/** The parts of a move: what each agent does depends on the backups that come first. */
export function planOfMove(domain: string, here: ServerRow, other: ServerRow): Plan {
  const titles = {
    leaving: `Preparing ${here.name}`,
    backup: `Backing up ${domain} on ${here.name}`,
    certificate: `Copying ${domain} to ${other.name}`,
    way: `Preparing the way to ${other.name}`,
    gathered: `Saving what has changed until now on ${here.name}`,
    brought: `Copying what has changed until now to ${other.name}`,
    frozen: `Freezing ${domain}`,
    changes: `Saving what has changed since on ${here.name}`,
    'caught-up': `Copying what has changed since to ${other.name}`,
    parted: `Forwarding all requests to ${other.name}`,
    open: `Opening ${domain} on ${other.name}`,
  }
  return { steps: Object.entries(titles).map(([name, title]) => ({ name, title, effects: [] })) }
}
