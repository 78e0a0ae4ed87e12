import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import process from 'node:process'
import { rawKeyOf } from '#agent/kernel/host/public-keys.ts'
import { machineOf } from '#shared/kernel/machines.ts'
import { releaseText } from '#shared/kernel/release.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

export const PROGRAM = '/usr/local/bin/hosting-agent'
export const url = 'https://control.example/agent/linux-x64.gz'
export const sha256 = createHash('sha256').update('program').digest('hex')
export const publisher = generateKeyPairSync('ed25519')
const own = machineOf(process.arch, '')
export const newer = { product: 'hosting-agent', version: '9.9.9', build: 1, machine: own, sha256 }

export function signed(manifest: object | string, key: KeyObject = publisher.privateKey) {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest)
  const signature = sign(null, Buffer.from(releaseText(text)), key).toString('base64url')
  return { manifest: text, signature }
}

export const params = { url, sha256, ...signed(newer) }

export function machine(): FakeHost {
  const host = fakeHost()
  const start = `{ path=${PROGRAM} ; argv[]=${PROGRAM} root ; status=0/0 }`
  host.answer('systemctl show', `Names=hosting-agent.service\nExecStart=${start}\n`)
  host.settings.publisher_key = rawKeyOf(publisher.publicKey)
  host.settings.build = 5
  const { download } = host.net
  host.net.download = async (address, path) => {
    await download(address, path)
    return sha256
  }
  host.answer(`${PROGRAM}.new version`, '9.9.9\n')
  host.pages.set(url, 'compressed')
  return host
}
