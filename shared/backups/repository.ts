import { renderIni } from '#shared/kernel/formats/ini.ts'
import { requireMatch } from '#shared/kernel/formats/require-match.ts'
import { renderKnownHost, renderSshHost } from '#shared/kernel/formats/ssh.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { BackupPlace, BackupTarget } from './backup.ts'

/** A repository in a target, and the password that encrypts it. */
interface Repository {
  name: string
  target: BackupTarget
  password: Secret
}

/** Matches one line; restic reads the whole file and trims it. Keys are read without a password. */
const LINE = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/

/**
 * Returns the files that restic reads in `folder`, by name: they have all secrets, so that no
 * argument does. Throws 422 for a value that one of the files cannot carry, whoever checked it
 * before.
 */
export function filesOf(
  { name, target, password }: Repository,
  folder: string,
): Record<string, string> {
  const { place, secret } = target
  return {
    password: lineOf('password', password.reveal()),
    repository: lineOf('place', addressOf(place, name, secret)),
    ...ofPlace(place, secret, folder),
  }
}

const lineOf = (field: string, text: string): string =>
  `${requireMatch(field, text, LINE, 'Must be one line of printable ASCII')}\n`

function ofPlace(place: BackupPlace, secret: Secret, folder: string): Record<string, string> {
  if (place.kind === 'local') return {}
  if (place.kind === 'sftp') return sshFiles(place, secret, folder)
  const ca = place.ca === '' ? {} : { 'ca.pem': place.ca }
  if (place.kind === 'rest') return ca
  const credentials = {
    aws_access_key_id: place.user,
    aws_secret_access_key: secret.reveal(),
  }
  return { ...ca, aws: renderIni('default', credentials) }
}

function addressOf(place: BackupPlace, name: string, secret: Secret): string {
  if (place.kind === 'local') return `${place.path}/${name}`
  if (place.kind === 'sftp') return `sftp:target:${place.path}/${name}`
  if (place.kind === 's3') return `s3:${base(place.url)}/${place.bucket}/${place.prefix}/${name}`
  const url = new URL(`${base(place.url)}/${name}`)
  url.username = encodeURIComponent(place.user)
  url.password = encodeURIComponent(secret.reveal())
  return `rest:${url.href}/`
}

const base = (url: string) => url.replace(/\/+$/, '')

function sshFiles(
  { host, port, user, host_key }: Extract<BackupPlace, { kind: 'sftp' }>,
  key: Secret,
  folder: string,
): Record<string, string> {
  const text = key.reveal()
  return {
    ssh_config: renderSshHost('target', {
      HostName: host,
      Port: port,
      User: user,
      IdentityFile: `${folder}/key`,
      IdentitiesOnly: 'yes',
      HostKeyAlias: 'target',
      UserKnownHostsFile: `${folder}/known_hosts`,
      GlobalKnownHostsFile: '/dev/null',
      StrictHostKeyChecking: 'yes',
      BatchMode: 'yes',
      ConnectTimeout: 20,
      ConnectionAttempts: 5,
      ServerAliveInterval: 30,
    }),
    known_hosts: renderKnownHost('target', host_key),
    key: text.endsWith('\n') ? text : `${text}\n`,
  }
}

/** Returns the options of restic(1) for a place whose files stand in `folder`. */
export function optionsOf(place: BackupPlace, folder: string, ssh_log?: string): string[] {
  if (place.kind === 'local') return []
  const log = ssh_log === undefined ? '' : ` -E ${ssh_log}`
  if (place.kind === 'sftp') return ['-o', `sftp.args=-F ${folder}/ssh_config${log}`]
  const ca = place.ca === '' ? [] : ['--cacert', `${folder}/ca.pem`]
  return place.kind === 's3' ? [...ca, '-o', `s3.region=${place.region}`] : ca
}
