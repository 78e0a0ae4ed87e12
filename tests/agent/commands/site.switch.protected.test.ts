import { expect, test } from 'bun:test'
import { TRIAL_PATH } from '#agent/os/nginx/moving.ts'
import { server, shop } from '#tests/support/agent/debian.ts'
import { switched, VHOST } from '#tests/support/agent/moving.ts'
import { hashOf } from '#tests/support/agent/staging.ts'

test.each([
  ['asks for a password', { basic_auth: { user: 'ann', password_hash: hashOf('letmein') } }],
  ['shows its maintenance page', { maintenance: { allow: [], message: '' } }],
])('forwards the test request also of a site that %s', async (_, settings) => {
  const host = await server({ ...shop, settings })

  await switched(host, 'leaving')

  const vhost = host.disk.text(VHOST) ?? ''
  const [, trial = ''] = vhost.split(`    location = ${TRIAL_PATH} {\n`)
  expect(trial).toStartWith('        auth_basic off;\n        proxy_pass ')
  expect(vhost.includes(`    "0${TRIAL_PATH}" "";\n`)).toBe('maintenance' in settings)
})
