import { createApp } from '#agent/app.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type ListeningServer, listen } from '#agent/kernel/http/listen.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { Policy } from '#agent/kernel/policy/policy.ts'
import type { CommandTable } from '#agent/kernel/steps/command.ts'
import { openGate } from '#agent/kernel/trust/gate.ts'
import { readings } from '#agent/readings.ts'
import { readingDeps } from './readings.ts'

/** A real agent over HTTP on a simulated machine. */
export function listeningAgent(host: Host, commands: CommandTable): Promise<ListeningServer> {
  const report = () => undefined
  const runner = new Runner({ host, commands, report })
  const app = createApp({
    runner,
    policy: new Policy({ ...host, path: '/etc/hosting-agent/policy', store: runner.store }),
    readings,
    ...readingDeps(host),
    gate: openGate,
    report,
  })
  return listen((request) => app.fetch(request), { address: '127.0.0.1', port: 0 })
}
