import { existsSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { Asking } from './asking.ts'
import { endOf } from './dashboard.ts'
import { type Enrolled, installEnrolled, restoreEnrolled } from './enrolled.ts'
import { PROGRAM, startMachine, UNIT_FILE } from './machine.ts'
import { packaged } from './packaged.ts'
import { imageIn, type Kind, SHOP, type State, shopOf } from './prepared.ts'

/**
 * Makes a prepared world in a folder: the archived disks of a server without and with a site, and
 * for an enrolled one the records of its dashboard beside each.
 */
const [kind, suite, folder] = process.argv.slice(2) as [Kind, Suite, string]
const CACHE = './var/lib/hosting-agent/cache'
const LAYOUT = 'var/lib/hosting-agent/layout.json'

async function archive(host: lab.Host, state: State): Promise<void> {
  await host.stop()
  // Of a machine that will not exist again; systemd reserves 8 MB for each.
  await lab.must(['sh', '-c', 'rm -rf "$0"/var/log/journal/*', host.root])
  if (state === 'site') {
    // The unpacked WordPress: no server needs to do that again.
    const append = ['--append', '--format=posix', '--numeric-owner', '-C', host.root, CACHE]
    await lab.must(['tar', `--file=${join(folder, 'server.tar')}`, ...append])
  }
  await host.archive(join(folder, `${state}.tar`))
  await host.remove()
}

async function prepareMachine(): Promise<void> {
  const { file: program } = await buildAgent('.')
  const options = { program, mirror: await wordpressMirror() }
  const run = async (image: Image, command: string, params: object, state: State) => {
    const host = await startMachine({ name: 'prepared', suite, init: 'systemd', image }, options)
    // Without it an agent takes the server for one of a former version, and changes its sites.
    await lab.poll(() => existsSync(join(host.root, LAYOUT)))
    const last = (await Asking.plainly(host).start(command, params).ended).at(-1)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last)}`)
    await host.must(['systemctl', 'disable', '--now', '--quiet', basename(UNIT_FILE)])
    await host.must(['rm', UNIT_FILE, PROGRAM])
    await archive(host, state)
  }
  await run(await packaged(suite), 'server.provision', {}, 'server')
  await run(await imageIn(suite, folder, 'server'), 'site.create', shopOf(suite), 'site')
  await lab.switchDown()
}

async function prepareEnrolled(): Promise<void> {
  const installed = await installEnrolled(suite, { image: await packaged(suite), prepared: true })
  const { dashboard, path } = installed
  const provisioned = (await dashboard.stream('POST', path('/provision'), {})).at(-1)
  if (provisioned?.event !== 'complete') throw new Error(JSON.stringify(provisioned))
  await keep(installed, 'server')

  const image = await imageIn(suite, folder, 'server')
  const world = await restoreEnrolled(suite, { image, records: recordsOf('server') })
  const { domain, tls } = SHOP
  const created = await world.dashboard.call('POST', world.path('/sites'), { domain, tls })
  const end = await endOf(world.dashboard, created)
  if (end.event !== 'complete') throw new Error(JSON.stringify(end))
  await world.dashboard.stream('POST', world.path('/sync'))
  await keep(world, 'site')
}

const recordsOf = (state: State) => join(folder, `${state}.records`)

/** The dashboard ends first: it would record that its server is offline. */
async function keep({ dashboard, host, data_dir, stop }: Enrolled, state: State): Promise<void> {
  await dashboard.stop()
  await archive(host, state)
  await cp(data_dir, recordsOf(state), { recursive: true, preserveTimestamps: true })
  await stop()
}

await (kind === 'machine' ? prepareMachine() : prepareEnrolled())
process.exit(0)
