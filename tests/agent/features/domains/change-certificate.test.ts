import { expect, test } from 'bun:test'
import {
  changeCertificate,
  restoreCertificate,
} from '#agent/features/domains/change-certificate.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { installed } from '#agent/kernel/site/certificate-files.ts'
import { tlsSite } from '#tests/support/agent/tls-site.ts'
import { selfSignedPem } from '#tests/support/fixtures/certificates.ts'

const VHOST = '/etc/nginx/sites-available/hosting-a.example.conf'
const FOLDER = '/etc/hosting/tls/a.example'
const broken = new Error('interrupted')

test('a certificate that a virtual host still names stays when nginx refuses the undo, which is repeated', async () => {
  const host = await tlsSite()
  await installed(host, 'a.example', selfSignedPem).apply()
  const before = host.disk.all
  host.disk.putText(VHOST, `# ${MARK_LINE}\nssl_certificate ${FOLDER}/fullchain.pem;`)
  host.disk.putText(`${FOLDER}/former.pem`, '{"tls":"none","email":"a@a.example"}\n')
  host.fail('nginx -t', 'another file is broken')

  await expect(restoreCertificate(host, 'a.example')).rejects.toThrow('another file is broken')
  const refused = host.disk.all
  expect(Object.keys(before).filter((path) => path.startsWith(FOLDER))).toEqual(
    expect.arrayContaining([`${FOLDER}/fullchain.pem`]),
  )
  expect(refused[`${FOLDER}/fullchain.pem`]).toBeDefined()
  expect(refused[`${FOLDER}/former.pem`]).toBeDefined()

  host.answer('nginx -t', '')
  await restoreCertificate(host, 'a.example')
  expect(Object.keys(host.disk.all).filter((path) => path.startsWith(FOLDER))).toEqual([])
})

test('a change that fails leaves what was before', async () => {
  const host = await tlsSite()
  const before = host.disk.all

  await expect(
    changeCertificate(host, 'a.example', async () => {
      await installed(host, 'a.example', selfSignedPem).apply()
      throw broken
    }),
  ).rejects.toThrow(broken)

  const changed = Object.keys(host.disk.all).filter((path) => !(path in before))
  expect(changed.filter((path) => path.startsWith('/etc/hosting/tls'))).toEqual([])
})
