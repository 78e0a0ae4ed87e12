import { hostileText, noText } from '#tests/support/hostile.ts'
import { kit } from './backup.ts'

const noObject = [null, 7, true, []]

/** Values that each param of the commands of backups refuses. */
export const hostileBackups = {
  target: [...noObject, 'x'],
  dashboard_key: [...hostileText, ...noText, `${kit.publicKey}${kit.publicKey}`],
  recovery_key: [...hostileText, ...noText, kit.privateKey],
  password: [...noText, '', 'x'.repeat(1025)],
  repository: [...hostileText, ...noText, '../shop', '-o', 'Shop'],
  backup: [...hostileText, ...noText, 'latest', 'a'.repeat(63), 'A'.repeat(64)],
  parts: [...noObject, 'files', { files: false, database: false }],
}

export const validBackups = {
  target: { place: { kind: 'local', path: '/mnt/store' }, secret: '' },
  dashboard_key: kit.publicKey,
  recovery_key: kit.publicKey,
  password: 'a password',
  repository: 'shop',
  backup: 'a'.repeat(64),
  parts: { files: true, database: true },
}
