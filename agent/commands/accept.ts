import type { Step } from '#agent/steps/command.ts'
import { invalid } from '#shared/errors.ts'

/** Throws invalid on `accept` with all changes of foreign objects that nobody accepted. */
export async function refuseUnaccepted(
  steps: readonly Step[],
  accept: readonly string[],
): Promise<void> {
  const open: string[] = []
  for (const { imposes } of steps) {
    for (const { kind, name, asks = '' } of (await imposes?.()) ?? []) {
      if (!accept.includes(asks)) open.push(`${asks} (${kind} ${name})`)
    }
  }
  if (open.length === 0) return
  throw invalid({ accept: [`Must contain the words of these changes: ${open.join(', ')}`] })
}
