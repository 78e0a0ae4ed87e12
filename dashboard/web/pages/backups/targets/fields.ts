import type { FieldName, Kind } from './draft.ts'

interface FieldText {
  name: FieldName
  label: string
  hint?: string
  placeholder?: string
  type?: 'password' | 'lines'
}

interface KindTexts {
  about: string
  fields: readonly FieldText[]
}

const CA: FieldText = {
  name: 'ca',
  label: 'Certificates of a private authority',
  hint: 'In PEM. Leave empty for a public certificate.',
  type: 'lines',
}

const KEEPER: FieldText = {
  name: 'keeper_key',
  label: 'Public key of the keeper',
  hint: 'The keeper deletes old backups beside the storage, and prints this key when it is set up. Leave empty if there is none.',
  type: 'lines',
}

/** What each kind of target is, and what it needs. */
export const KIND_FIELDS: Record<Kind, KindTexts> = {
  rest: {
    about:
      'rest-server on another machine. With --append-only it refuses to delete backups: recommended.',
    fields: [
      {
        name: 'url',
        label: 'Address',
        placeholder: 'https://backup.example:8000/',
        hint: 'Begins with https://, without user and password.',
      },
      { name: 'user', label: 'User' },
      { name: 'secret', label: 'Password', type: 'password' },
      CA,
      KEEPER,
    ],
  },
  s3: {
    about:
      'A bucket. Use versioning and object lock, and an access key that cannot delete versions.',
    fields: [
      {
        name: 'url',
        label: 'Address',
        placeholder: 'https://s3.eu-central-1.example/',
        hint: 'The endpoint, which begins with https://, without the bucket.',
      },
      { name: 'bucket', label: 'Bucket' },
      { name: 'prefix', label: 'Prefix', hint: 'The folder in the bucket.' },
      { name: 'region', label: 'Region' },
      { name: 'user', label: 'Access key' },
      { name: 'secret', label: 'Secret key', type: 'password' },
      CA,
      KEEPER,
    ],
  },
  sftp: {
    about: 'An account on another machine. Servers can delete the backups in it.',
    fields: [
      { name: 'host', label: 'Host', placeholder: 'backup.example' },
      { name: 'port', label: 'Port' },
      { name: 'user', label: 'User' },
      { name: 'path', label: 'Folder', placeholder: '/backups' },
      {
        name: 'host_key',
        label: 'Host key',
        placeholder: 'ssh-ed25519 AAAA…',
        hint: 'One line of ssh-keyscan, without the name. Compare it with the key on the machine.',
      },
      {
        name: 'secret',
        label: 'Private SSH key',
        type: 'lines',
        hint: 'Of a key pair for this target only, without a passphrase.',
      },
      KEEPER,
    ],
  },
  local: {
    about:
      'A folder of each server, such as a mounted disk. A lost or stolen server loses its backups.',
    fields: [
      {
        name: 'path',
        label: 'Folder',
        placeholder: '/mnt/backup',
        hint: 'The same path on every server.',
      },
      KEEPER,
    ],
  },
}
