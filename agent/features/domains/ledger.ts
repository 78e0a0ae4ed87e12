import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

/** By name: when the authority failed to validate it, in the last hour. */
const Ledger = z.record(z.string(), z.array(z.number()))
type Ledger = z.infer<typeof Ledger>

/** Let's Encrypt allows five failed validations of a name per hour: one stays for a person. */
const MAX_FAILURES = 4
const HOUR_MS = 3_600_000
const MAX_BYTES = 16 << 20

const pathIn = ({ settings }: Host) => `${settings.state_dir}/certificate-validations.json`

async function readLedger(host: Host): Promise<Ledger> {
  const ledger = parseJson(Ledger, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
  const now = host.clock.now()
  const recent = Object.entries(ledger).map(([name, times]): [string, number[]] => [
    name,
    // A clock change must not block a name for longer than an hour.
    times.filter((time) => Math.abs(now - time) < HOUR_MS),
  ])
  return Object.fromEntries(recent.filter(([, times]) => times.length > 0))
}

/** When each of these names may be validated again; names with an attempt left are not in it. */
export async function spentNames(
  host: Host,
  names: readonly string[],
): Promise<Map<string, number>> {
  const ledger = await readLedger(host)
  const spent = new Map<string, number>()
  for (const name of names) {
    const times = (ledger[name] ?? []).toSorted((one, other) => other - one)
    const oldest = times[MAX_FAILURES - 1]
    if (oldest !== undefined) spent.set(name, oldest + HOUR_MS)
  }
  return spent
}

export async function noteFailedValidations(host: Host, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await host.exclusive('certificate validations', async () => {
    const ledger = await readLedger(host)
    for (const name of names) ledger[name] = [...(ledger[name] ?? []), host.clock.now()]
    await host.files.write(pathIn(host), `${JSON.stringify(ledger)}\n`, { mode: 0o600 })
  })
}
