// tier: gate
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { Client } from '#tests/support/client.ts'
import {
  type Environment,
  runAgent,
  runtimesOf,
  startAgent,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import packageJson from '../../package.json' with { type: 'json' }

setDefaultTimeout(120_000)
afterAll(sweep)

describe.each(runtimesOf('agent.start'))('%s', (runtime) => {
  test('refuses an invalid environment with one line and status 2', async () => {
    const { code, out, err } = await runAgent(runtime, ['serve'], none('0.0.0.0:0'))

    const message = 'AGENT_AUTH=none is allowed on a loopback address only'
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err.split('\n')).toEqual([expect.stringContaining(message), ''])
  })

  test('says in one line that its port is in use, and ends with status 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const env = { AGENT_LISTEN: `127.0.0.1:${port}`, AGENT_AUTH: 'none' }

    const { code, out, err } = await runAgent(runtime, ['serve'], env).finally(() => other.close())

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([expect.stringContaining('in use'), ''])
  })

  test('says in one line that it cannot write its state', async () => {
    const { code, out, err } = await runAgent(runtime, ['serve'], {
      AGENT_LISTEN: '127.0.0.1:0',
      AGENT_STATE_DIR: '/hosting-agent-state',
    })

    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err.split('\n')).toEqual([expect.stringContaining('AGENT_STATE_DIR'), ''])
  })

  test('prints one line when it listens, and nothing else', async () => {
    const agent = await startAgent(runtime)
    await fetch(`${agent.url}/health`)

    expect(await agent.stop()).toBe(0)
    expect(agent.output).toEqual({ out: `listening on http://127.0.0.1:${agent.port}\n`, err: '' })
  })

  test('listens on IPv6 loopback too', async () => {
    const agent = await startAgent(runtime, { AGENT_LISTEN: '[::1]:0' })

    expect((await fetch(`${agent.url}/health`)).status).toBe(200)
    expect(agent.output.out).toBe(`listening on http://[::1]:${agent.port}\n`)
    await agent.kill()
  })

  test('treats an empty variable as unset', async () => {
    const agent = await startAgent(runtime, { AGENT_WORDPRESS_URL: '', AGENT_ACME_CA_FILE: '' })

    expect((await fetch(`${agent.url}/health`)).status).toBe(200)
    await agent.kill()
  })

  test('stops cleanly from its first line on', async () => {
    const codes: number[] = []
    for (let turn = 0; turn < 3; turn += 1) codes.push(await (await startAgent(runtime)).stop())

    expect(codes).toEqual([0, 0, 0])
  })

  test.each([
    ['idle', ''],
    ['in the middle of a header', 'GET /metrics HTTP/1.1\r\nHost: x'],
    ['in the middle of a body', 'POST /exec HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{'],
  ])(
    'stops on SIGTERM and closes a connection that is %s',
    async (_, unfinished) => {
      const agent = await startAgent(runtime)
      const open = connect(agent.port, '127.0.0.1', () => open.write(unfinished))
      open.on('error', () => undefined)
      let received = ''
      open.on('data', (chunk) => {
        received += chunk
      })
      await Bun.sleep(200)

      const code = await agent.stop().finally(() => open.destroy())

      // The agent waits ten seconds for the rest, and then answers that it came too slowly.
      expect({ code, received }).toEqual({ code: 0, received: '' })
    },
    20_000,
  )

  test('starts again on its existing folder', async () => {
    const AGENT_STATE_DIR = await temporaryFolder('again')
    await (await startAgent(runtime, { AGENT_STATE_DIR })).kill()

    const agent = await startAgent(runtime, { AGENT_STATE_DIR })

    expect((await fetch(`${agent.url}/health`)).status).toBe(200)
    await agent.kill()
  })

  test.each(['sites', 'trash'])(
    'requires signatures where there are %s',
    async (folder) => {
      const state = await temporaryFolder('with-sites')
      await mkdir(`${state}/${folder}`)
      await writeFile(`${state}/${folder}/shop.example.json`, '{}')
      const env = { ...none('127.0.0.1:0'), AGENT_STATE_DIR: state }

      const { code, out, err } = await runAgent(runtime, ['serve'], env)

      expect({ code, out, err }).toEqual({
        code: 1,
        out: '',
        err: `hosting-agent: AGENT_AUTH=none would give every site of this server root, and ${state}/${folder} has sites: use AGENT_AUTH=signed\n`,
      })
    },
    20_000,
  )

  test('creates no site without authentication', async () => {
    const agent = await startAgent(runtime, { AGENT_AUTH: 'none' })
    const params = { domain: 'shop.example', email: 'ann@shop.example', user: 'shop' }
    const create = { ...params, php: '8.3', tier: 'small', tls: 'none' }
    const client = new Client(agent.url)

    for (const [command, given] of [
      ['site.create', create],
      ['site.restore', { domain: params.domain }],
    ] as const) {
      const { status, body } = await client.post('/exec', { command, params: given })
      expect({ status, body }).toEqual({
        status: 403,
        body: {
          error: 'Forbidden',
          message: 'AGENT_AUTH=none is for a server without sites: use AGENT_AUTH=signed',
        },
      })
    }
    await agent.kill()
  }, 20_000)

  test('prints its version', async () => {
    expect(await runAgent(runtime, ['version'])).toEqual({
      code: 0,
      out: `${packageJson.version}\n`,
      err: '',
    })
  })

  test('prints the licenses of the packages that it contains', async () => {
    const { code, out, err } = await runAgent(runtime, ['notices'])

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^hono .* \(MIT\)\n.*\nin hosting-agent\n\nMIT License\n/m)
    expect(out).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  })

  test('prints its usage and ends with status 2 on an unknown word', async () => {
    const { code, out } = await runAgent(runtime, ['sevre'])

    expect(code).toBe(2)
    expect(out).toContain('hosting-agent serve')
  })
})

function none(AGENT_LISTEN: string): Environment {
  return { AGENT_AUTH: 'none', AGENT_LISTEN }
}
