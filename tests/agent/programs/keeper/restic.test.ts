import { expect, test } from 'bun:test'
import { checkPart, runRestic } from '#agent/programs/keeper/restic.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { NO_STORE } from '#tests/support/agent/keeper.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const KILLED = 137
const CUT = 'Stat(<config/>) returned error, retrying after 1s: dial tcp 10.0.0.1:443: i/o timeout'
const opened = { store: NO_STORE, name: 'shop', password: new Secret('password'), key: 'key' }

/** The failure of a restic that was killed, with so much time left. */
async function killed(left_ms: number, stderr = ''): Promise<unknown> {
  const host = freeHost()
  host.fail('/restic', stderr, KILLED)
  const restic = { program: '/restic', left: () => left_ms }
  const prune = runRestic(host, restic, opened, ['prune', '--quiet'])
  const check = checkPart(host, restic, opened, { part: 1, of: 1 })
  return Promise.all(
    [prune, check].map((each) =>
      each.then(
        () => '',
        ({ message }) => message,
      ),
    ),
  )
}

test('a restic that is ended with the run says so, and not that the memory is full', async () => {
  const over = (command: string) =>
    `The time of the run (run_minutes) was over before restic ${command} ended: the next run continues. If this happens again, check that the storage answers, or raise run_minutes`

  expect(await killed(0)).toEqual([over('prune'), over('check')])
  expect(await killed(-30_000)).toEqual([over('prune'), over('check')])
})

test('a restic that is killed before, or that waited for the network, says that', async () => {
  const memory =
    'restic was killed: check that this server has enough free memory, and try again (exit status 137)'
  const network = `The target did not answer: check the network between it and this server (${CUT})`

  expect(await killed(60_000)).toEqual([memory, memory])
  expect(await killed(0, CUT)).toEqual([network, network])
})
