import { invalid } from '#shared/kernel/errors.ts'
import { type Effect, unacceptedMessage } from '#shared/kernel/plan.ts'
import type { Step } from './command.ts'

/** Throws invalid on `accept` with all changes of foreign objects that nobody accepted. */
export async function refuseUnaccepted(
  steps: readonly Step[],
  accept: readonly string[],
): Promise<void> {
  const open: Effect[] = []
  for (const { imposes } of steps) {
    const changes = (await imposes?.()) ?? []
    open.push(...changes.filter(({ asks = '' }) => !accept.includes(asks)))
  }
  if (open.length > 0) throw invalid({ accept: [unacceptedMessage(open)] })
}
