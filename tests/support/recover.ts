import type { Host } from '#agent/kernel/host/ports.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import type { CommandTable } from '#agent/kernel/steps/command.ts'

/** Runs the recovery of the agent's next process after an interruption, to its end. */
export async function recover(host: Host, commands: CommandTable): Promise<void> {
  const runner = new Runner({ host, commands, report: () => undefined })
  const { ended } = await runner.recover()
  await ended
}
