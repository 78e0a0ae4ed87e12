import process from 'node:process'
import * as lab from '#tests/support/lab/index.ts'

const SERVER = `
const fetch = () => new Response('another server', { status: 404 })
Bun.serve({ hostname: process.argv[1], port: 80, fetch })
`

/** A web server without our sites, at the address of the switch. */
export async function startOtherServer(): Promise<{ address: string; stop(): Promise<unknown> }> {
  const { netns, address } = await lab.switchUp()
  const inside = ['ip', 'netns', 'exec', netns]
  const server = lab.background([...inside, process.execPath, '--eval', SERVER, address], {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  })
  const open = ['bash', '-c', 'exec 3<>/dev/tcp/"$1"/80', 'bash', address]
  await lab.poll(async () => (await lab.run([...inside, ...open])).code === 0)
  return { address, stop: () => server.stop() }
}
