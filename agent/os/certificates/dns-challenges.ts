import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { parseJson } from '#shared/parse.ts'
import { setTxt } from './dns-records.ts'

const Challenge = z.object({
  name: z.string(),
  value: z.string(),
  /** When it was published, in milliseconds. */
  at: z.number(),
})
type Challenge = z.infer<typeof Challenge>

const MOST_BYTES = 1 << 20
const HOUR_MS = 3_600_000
/** After that the record is left to the administrator: its value is useless by then. */
const LONGEST_MS = 24 * HOUR_MS

const pathIn = ({ settings }: Host) => `${settings.state_dir}/dns-challenges.json`

/** The published records. They are noted first, so that a crash leaves none behind. */
async function readChallenges(host: Host): Promise<Challenge[]> {
  return parseJson(z.array(Challenge), await host.files.read(pathIn(host), MOST_BYTES)) ?? []
}

/** Publishes a TXT record. Returns why that failed. */
export async function publish(host: Host, name: string, value: string) {
  await changing(host, (all) => [...all, { name, value, at: host.clock.now() }])
  return setTxt(host, 'present', { name, value })
}

/** Removes the records of these values, also if `publish` failed or was interrupted. */
export async function withdraw(host: Host, values: readonly string[]): Promise<void> {
  if (values.length === 0) return
  for (const challenge of await readChallenges(host)) {
    if (!values.includes(challenge.value)) continue
    const failure = await setTxt(host, 'cleanup', challenge)
    if (failure === undefined) await forget(host, challenge)
  }
}

/** Removes the records that an interrupted order, or a failed removal, left behind. */
export async function withdrawOld(host: Host): Promise<void> {
  const age = ({ at }: Challenge) => Math.abs(host.clock.now() - at)
  const old = (await readChallenges(host)).filter((one) => age(one) > HOUR_MS)
  await withdraw(
    host,
    old.map(({ value }) => value),
  )
  for (const one of old) if (age(one) > LONGEST_MS) await forget(host, one)
}

const forget = (host: Host, { value }: Challenge) =>
  changing(host, (all) => all.filter((one) => one.value !== value))

async function changing(host: Host, change: (all: Challenge[]) => Challenge[]): Promise<void> {
  await host.exclusive('dns challenges', async () => {
    const text = `${JSON.stringify(change(await readChallenges(host)))}\n`
    await host.files.write(pathIn(host), text, { mode: 0o600 })
  })
}
