import { createApp } from '#agent/app.ts'
import type { Host } from '#agent/host/ports.ts'
import { type Listening, listen } from '#agent/http/listen.ts'
import { Runner } from '#agent/operations/runner.ts'
import { Policy } from '#agent/policy/policy.ts'
import { readings } from '#agent/readings/index.ts'
import type { CommandTable } from '#agent/steps/command.ts'
import { openGate } from '#agent/trust/gate.ts'
import { readingDeps } from './readings.ts'

/** A real agent over HTTP on a simulated machine. */
export function listeningAgent(host: Host, commands: CommandTable): Promise<Listening> {
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
