import { buildAgent } from '#scripts/build-agent.ts'
import { type Host, must } from '#tests/support/lab/index.ts'
import { installKeeper } from '#tests/support/storage/history.ts'
import { installUnits } from '#tests/support/storage/killed-keeper.ts'
import { putRestic } from '#tests/support/storage/restic.ts'
import { SecretWatch } from './secret-watch.ts'

export const KEEPER_KEY = '/etc/hosting-keeper/key.pem'
const CONTROL = 'canary-keeper-5b2c'

/** Some of the private key, as it is in its file. */
export const privateLine = async (host: Host): Promise<string> =>
  (await host.must(['cat', KEEPER_KEY])).split('\n')[3] ?? ''

/** Looks for secrets while `run` runs; returns where they were found. */
export async function foundDuring(
  host: Host,
  secrets: readonly string[],
  run: () => Promise<unknown>,
): Promise<string[]> {
  const watch = new SecretWatch(host)
  await watch.start([...secrets, CONTROL])
  await run()
  // Shows that processes are looked at.
  await host.must(['env', `CONTROL=${CONTROL}`, 'sleep', '1'])
  const found = await watch.found([...secrets, CONTROL])
  const control = found.filter((place) => place.endsWith(CONTROL))
  if (control.length === 0) throw new Error('The watch has not seen the control process')
  return found.filter((place) => !control.includes(place)).sort()
}

/** A keeper on the machine of a storage, with the documented units. */
export async function keeperOn(host: Host, store: string) {
  const { file } = await buildAgent('.')
  await putRestic(host, '/var/lib/hosting-keeper')
  const { key } = await installKeeper(host, file, {
    ...{ stores: [{ kind: 'folder', path: store }], keep: { all_days: 7 }, check_parts: 1 },
  })
  await installUnits(host, store)
  return {
    key,
    /** A run with its journal and its report, in all of which nothing was found but these files. */
    async found(password: string): Promise<string[]> {
      const secrets = [password, await privateLine(host)]
      const start = ['systemctl', 'start', 'hosting-keeper.service']
      const found = await foundDuring(host, secrets, () => host.must(start))
      const folder = `${host.root}${store}/hosting-keeper/keys`
      await must(['grep', '-rq', 'signature', folder])
      return found
    },
  }
}
