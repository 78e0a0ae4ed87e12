import { expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#agent/kernel/config.ts'
import { parseSettings, withSettings } from '#agent/kernel/settings-file.ts'

test('reads settings as systemd reads them', () => {
  const text = `# AGENT_AUTH=none
; a remark
AGENT_LISTEN=[::]:8443
 AGENT_STATE_DIR="/srv/agent"
AGENT_RUN_DIR='/run/agent'
lower=x
export AGENT_OPERATIONS_MB=1
`

  expect(parseSettings(text)).toEqual({
    AGENT_LISTEN: '[::]:8443',
    AGENT_STATE_DIR: '/srv/agent',
    AGENT_RUN_DIR: '/run/agent',
  })
})

test('a manual command uses the settings of the services unless it gets others', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'))
  const path = join(folder, 'agent.env')
  await writeFile(path, 'AGENT_LISTEN=[::]:8443\nAGENT_STATE_DIR=/srv/agent\n')

  const config = readConfig(withSettings({ AGENT_STATE_DIR: '/srv/other' }, path))
  const without = readConfig(withSettings({}, join(folder, 'missing')))

  await rm(folder, { recursive: true })
  expect([config.address, config.port, config.state_dir]).toEqual(['::', 8443, '/srv/other'])
  expect(without.address).toBe('127.0.0.1')
})
