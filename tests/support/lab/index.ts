/**
 * Real Debian servers for tests: they boot systemd in under a second, have an address each on a
 * network of their own, and install packages from a local source without any other network.
 *
 *     import * as lab from '../support/lab/index'
 *
 *     const reason = lab.available()          // text: list a skip with it
 *     const web = await lab.startHost({ name: 'web', suite: 'bookworm', init: 'systemd' })
 *     await web.put('/root/agent', await Bun.file('dist/hosting-agent').bytes(), 0o755)
 *     const agent = web.spawn(['/root/agent', 'serve'], { AGENT_LISTEN: '0.0.0.0:8443' })
 *     await web.must(['apt-get', 'update'])   // throws unless the status is 0
 *     const { code, stdout } = await web.exec(['systemctl', 'is-active', 'nginx'])
 *     await web.partition(true)               // others cannot reach it until partition(false)
 *     await web.powerOff(); await web.start() // a power failure, and a boot from the same disk
 *     await agent.stop()
 *     await lab.switchDown()                  // in afterAll: removes everything there is
 *
 * From outside a host is reached in the network of another: `ip netns exec <host.netns> curl …`
 * runs this machine's curl with this machine's files on the network of that host, where `lo`
 * is up and `host.address` answers for its neighbours. `init: 'none'` is a container: process 1
 * only reaps, and installing a package starts nothing. To provision once and use it often:
 * `const image = await host.archive(file)`, then `startHost({ …, image })`.
 *
 * The first use on a machine takes about half a minute for the packages (`prepareBase`); what a
 * run leaves behind when it is killed is swept by a process of its own.
 */
export { available } from './available.ts'
export type { Background } from './background.ts'
export { background } from './background.ts'
export { Host } from './host.ts'
export { needPrograms } from './prerequisites.ts'
export { must, run } from './run.ts'
export { startHost } from './start-host.ts'
export { type Switch, switchDown, switchUp } from './switch.ts'
export { poll, polled } from './wait.ts'
