import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { setTxt } from './dns-records.ts'

const Challenge = z.object({
  name: z.string(),
  value: z.string(),
  /** The time of publication in milliseconds. */
  at: z.number(),
  /** The number of failed removals. */
  tries: z.int().default(0),
  next: z.number().optional(),
})
type Challenge = z.infer<typeof Challenge>

const MAX_BYTES = 1 << 20
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The time after which the record is left to the administrator: its value is useless by then. */
const MAX_MS = 30 * 24 * HOUR_MS

const pathIn = ({ settings }: Host) => `${settings.state_dir}/dns-challenges.json`

/** Reads the published records. They are stored first, so that none is forgotten. */
async function readChallenges(host: Host): Promise<Challenge[]> {
  return parseJson(z.array(Challenge), await host.files.read(pathIn(host), MAX_BYTES)) ?? []
}

/** Publishes a TXT record. Returns why that failed; one that was not set is forgotten. */
export async function publishRecord(host: Host, name: string, value: string) {
  const noted = { name, value, at: host.clock.now(), tries: 0 }
  await updateChallenges(host, (all) => [...all, noted])
  const failure = await setTxt(host, 'present', { name, value })
  if (failure && !failure.is_uncertain) await forgetChallenge(host, noted)
  return failure?.reason
}

/** Removes the records of these values, also if their publication failed or was interrupted. */
export async function withdrawRecords(host: Host, values: readonly string[]): Promise<void> {
  if (values.length === 0) return
  for (const challenge of await readChallenges(host)) {
    if (!values.includes(challenge.value)) continue
    const failure = await setTxt(host, 'cleanup', challenge)
    if (failure === undefined) await forgetChallenge(host, challenge)
    else await postpone(host, challenge)
  }
}

/** Removes due records that an interrupted order, or a failed removal, left behind. */
export async function withdrawLeftovers(host: Host): Promise<void> {
  const now = host.clock.now()
  const age = ({ at }: Challenge) => Math.abs(now - at)
  // A clock that was set back delays nothing.
  const isDue = ({ next = Number.POSITIVE_INFINITY }: Challenge) =>
    now >= next || (next < Number.POSITIVE_INFINITY && next - now > HOUR_MS)
  const old = (await readChallenges(host)).filter((one) =>
    one.next === undefined ? age(one) > HOUR_MS : isDue(one),
  )
  await withdrawRecords(
    host,
    old.map(({ value }) => value),
  )
  for (const one of old) if (age(one) > MAX_MS) await forgetChallenge(host, one)
}

/** Postpones the next removal by 1, 2, 4 minutes and so on, at most an hour. */
function postpone(host: Host, { value, tries }: Challenge): Promise<void> {
  const pause = Math.min(MINUTE_MS * 2 ** Math.min(tries, 6), HOUR_MS)
  const next = host.clock.now() + pause
  return updateChallenges(host, (all) =>
    all.map((one) => (one.value === value ? { ...one, tries: tries + 1, next } : one)),
  )
}

const forgetChallenge = (host: Host, { value }: Pick<Challenge, 'value'>) =>
  updateChallenges(host, (all) => all.filter((one) => one.value !== value))

async function updateChallenges(
  host: Host,
  change: (all: Challenge[]) => Challenge[],
): Promise<void> {
  await host.exclusive('dns challenges', async () => {
    const text = `${JSON.stringify(change(await readChallenges(host)))}\n`
    await host.files.write(pathIn(host), text, { mode: 0o600 })
  })
}
