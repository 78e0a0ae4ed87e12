import type { Host } from '#agent/host/ports.ts'
import type { CommandTable } from '#agent/commands/command.ts'
import { Runner } from '#agent/operations/runner.ts'

/** What the next process of the agent does with what the one before left, to its end. */
export async function recover(host: Host, commands: CommandTable): Promise<void> {
  const runner = new Runner({ host, commands, report: () => undefined })
  const { ended } = await runner.recover()
  await ended
}
