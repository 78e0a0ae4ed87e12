import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

/** The times of failed validations in the last hour, by name. */
const FailedValidations = z.record(z.string(), z.array(z.number()))
type FailedValidations = z.infer<typeof FailedValidations>

/** The limit of automatic attempts: Let's Encrypt allows five failures per hour, so one remains. */
const MAX_FAILURES = 4
const HOUR_MS = 3_600_000
const MAX_BYTES = 16 << 20

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-validations.json`

async function readFailedValidations(host: Host): Promise<FailedValidations> {
  const ledger = parseJson(FailedValidations, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
  const now = host.clock.now()
  const recent = Object.entries(ledger).map(([name, times]): [string, number[]] => [
    name,
    // A clock change must not block a name for longer than an hour.
    times.filter((time) => Math.abs(now - time) < HOUR_MS),
  ])
  return Object.fromEntries(recent.filter(([, times]) => times.length > 0))
}

/** Returns when each name may be validated again, without names that have an attempt left. */
export async function namesAtLimit(
  host: Host,
  names: readonly string[],
): Promise<Map<string, number>> {
  const ledger = await readFailedValidations(host)
  const spent = new Map<string, number>()
  for (const name of names) {
    const times = (ledger[name] ?? []).toSorted((one, other) => other - one)
    const oldest = times[MAX_FAILURES - 1]
    if (oldest !== undefined) spent.set(name, oldest + HOUR_MS)
  }
  return spent
}

export async function recordFailedValidations(host: Host, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await host.exclusive('certificate validations', async () => {
    const ledger = await readFailedValidations(host)
    for (const name of names) ledger[name] = [...(ledger[name] ?? []), host.clock.now()]
    await host.files.write(pathIn(host), `${JSON.stringify(ledger)}\n`, { mode: 0o600 })
  })
}
