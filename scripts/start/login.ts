import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Api, messageOf } from '#scripts/lib/api.ts'
import type { Login } from './programs.ts'

const CreatedToken = z.object({ plaintext: z.string().min(1) })

/**
 * The dashboard's API as its administrator: with the token of the first start in DATA_DIR,
 * otherwise by a login, which stores one. Undefined without token and login.
 */
export async function openApi(
  url: string,
  data_dir: string,
  login: Login | undefined,
): Promise<Api | undefined> {
  const file = join(data_dir, 'start-token')
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (kept !== '') {
    const api = withToken(url, kept)
    const { status } = await api.request('GET', '/api/settings')
    if (status === 200) return api
  }
  if (!login) return undefined
  const token = await createToken(url, login)
  await writeFile(file, `${token}\n`, { mode: 0o600 })
  return withToken(url, token)
}

async function createToken(url: string, login: Login): Promise<string> {
  const answer = await new Api(url, {}).request('POST', '/api/auth/login', login)
  if (answer.status !== 200)
    throw new Error(`the login as ${login.email} failed: ${messageOf(answer)}`)
  const cookie = answer.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const api = new Api(url, { cookie })
  const created = await api.call('POST', '/api/auth/tokens', {
    name: 'scripts/start.sh',
    password: login.password,
    scope: 'admin',
    expires_in_days: 365,
  })
  await api.request('POST', '/api/auth/logout')
  return CreatedToken.parse(created.body).plaintext
}

function withToken(url: string, token: string): Api {
  return new Api(url, { authorization: `Bearer ${token}` })
}
