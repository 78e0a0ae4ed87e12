// tier: core
import { afterAll, describe, expect, test } from 'bun:test'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '#tests/support/client.ts'
import { runtimesOf, startAgent, sweep, temporaryFolder } from '#tests/support/processes.ts'
import { lacking, unless } from '#tests/support/skip.ts'

describe.each(runtimesOf('agent.policy'))('the policy of a server: %s', (runtime) => {
  afterAll(sweep)

  async function agentWith(rules: string, mode = 0o644) {
    const path = join(await temporaryFolder('policy'), 'policy.json')
    await writeFile(path, rules)
    await chmod(path, mode)
    const agent = await startAgent(runtime, { AGENT_POLICY_FILE: path })
    return { client: new Client(agent.url), path }
  }

  const shop = { domain: 'shop.example' }
  const denied = (message: string) => ({ status: 403, body: { error: 'Forbidden', message } })

  unless(lacking({ root: true })).test(
    'denies what root has denied, and follows the file',
    async () => {
      const rules = { deny: ['site.delete'], passwords: 'deny' }
      const { client, path } = await agentWith(JSON.stringify(rules))
      for (const dry_run of [false, true]) {
        const call = { command: 'site.delete', params: shop, dry_run }
        const answer = await client.post('/exec', call)
        expect(answer).toMatchObject(denied(`${path} on this server denies site.delete`))
      }
      for (const call of ['/sites/db-password', '/sites/admin-password']) {
        const answer = await client.post(call, shop)
        expect(answer).toMatchObject(denied(`${path} on this server denies passwords`))
      }
      await writeFile(path, '{}')
      expect((await client.post('/sites/db-password', shop)).status).toBe(404)
    },
    30_000,
  )

  test('changes nothing under a policy that others can write', async () => {
    const { client } = await agentWith('{}', 0o666)

    const answer = await client.post('/exec', { command: 'cache.purge', params: shop })

    expect(answer.status).toBe(403)
    expect(JSON.stringify(answer.body)).toContain('nothing is changed until root corrects it')
    expect((await client.get('/metrics')).status).toBe(200)
  }, 30_000)
})
