import { buildAgent } from '#scripts/build-agent.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type * as lab from '#tests/support/lab/index.ts'
import { Asking } from '#tests/support/system/asking.ts'
import { startMachine } from '#tests/support/system/machine.ts'
import { packaged } from '#tests/support/system/packaged.ts'

export const PHP = '8.2'

/** A server of the lab, whose agent runs commands without a dashboard. */
export interface Server {
  host: lab.Host
  /** Runs a command of the agent over HTTP. Throws its message when it fails. */
  exec(command: string, params: object): Promise<void>
}

/** Starts a Debian 12 server that is provisioned. */
export async function startServer(name: string): Promise<Server> {
  const { file: program } = await buildAgent('.')
  const host = await startMachine(
    { name, suite: 'bookworm', init: 'systemd', image: await packaged('bookworm') },
    { program, mirror: await wordpressMirror() },
  )
  const agent = Asking.plainly(host)
  const exec = async (command: string, params: object) => {
    const last = (await agent.start(command, params).ended).at(-1)
    if (last?.event !== 'complete') throw new Error(`${command}: ${JSON.stringify(last?.data)}`)
  }
  await exec('server.provision', { php_versions: [PHP] })
  return { host, exec }
}

/** Returns the params of `site.create` for a site of a user. */
export const siteOf = (user: string) => ({
  domain: `${user}.test`,
  php: PHP,
  tls: 'none',
  email: 'owner@agent.test',
  user,
})
