import { expect, test } from 'bun:test'
import { BackupPlace } from '#shared/backup.ts'

const accepts = (place: object) => BackupPlace.safeParse(place).success
const local = (path: string) => accepts({ kind: 'local', path })
const rest = (url: string) => accepts({ kind: 'rest', url, user: 'agency' })

test('a folder is absolute, and not one of the system or of sites', () => {
  expect(['/mnt/backup', '/srv/backup', '/backup', '/home/backup'].map(local)).toEqual(
    Array(4).fill(true),
  )
  const refused = [
    '',
    '/',
    'mnt',
    '/mnt/../etc',
    '/etc',
    '/etc/x',
    '/srv',
    '/srv/www',
    '/var/lib/x',
  ]
  expect(refused.filter(local)).toEqual([])
  expect(['/mnt/a b', '/mnt/a:b', '/mnt/a\nb', '/usr', '/root/x', '/home'].filter(local)).toEqual(
    [],
  )
})

test('an address is https, without user, password and query', () => {
  expect(rest('https://backup.example:8000/hosting/')).toBe(true)
  const refused = ['http://backup.example/', 'https://a:b@backup.example/', 'https://b.example/?a']
  expect(['ftp://b.example/', '-o', 'https://', ...refused].filter(rest)).toEqual([])
})

test('a host key is one line without a name', () => {
  const sftp = (host_key: string) =>
    accepts({ kind: 'sftp', host: 'b.example', user: 'b', path: '/data', host_key })

  expect(sftp('ssh-ed25519 AAAAC3Nz')).toBe(true)
  expect(['b.example ssh-ed25519 AAAA', 'ssh-ed25519 AAAA\nother', 'AAAA'].filter(sftp)).toEqual([])
})
