import { expect, test } from 'bun:test'
import { DisposableAgent, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const relay = { host: 'smtp.example', port: 587, tls: 'starttls', user: 'agency', password: 'x' }
const WRONG = ['\n', '\r', '\0', '\u0085', '\u2028', '\u2029', '\ufeff', '\u202e']

test.each(['user', 'password'])(
  'the %s of a relay is one line of printable text',
  async (field) => {
    await using agent = new DisposableAgent()
    await using dashboard = await makeDashboard()
    const path = `/api/servers/${await dashboard.addServer(agent)}/mail`

    for (const sign of WRONG) {
      const changed = { ...relay, [field]: `a${sign}b` }
      const { status, body } = await dashboard.call('PUT', path, { relay: changed })
      const fields = { [`relay.${field}`]: ['Must be one line of printable characters'] }
      expect([sign, status, body.fields]).toEqual([sign, 422, fields])
    }
  },
)
