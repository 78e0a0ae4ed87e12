import { ANNA, RSA_1024 } from '#tests/support/ssh-keys.ts'

const grant = { id: 1, person: 'Anna', kind: 'sftp', expires_at: null, keys: [ANNA] }
const noGrants = [
  { id: 0 },
  { id: '1' },
  ...['', 'a\nb', 'a\0', 'x'.repeat(65), 7].map((person) => ({ person })),
  ...['root', 'Shell', '', null].map((kind) => ({ kind })),
  ...['tomorrow', '2027-01-31', 7, '2027-01-31T18:00:00+01:00'].map((expires_at) => ({
    expires_at,
  })),
  ...[`command="id" ${ANNA}`, `${ANNA} x`, `${ANNA}\n${ANNA}`, '', RSA_1024, 7].map((key) => ({
    keys: [key],
  })),
  { keys: [ANNA, ANNA] },
  { keys: ANNA },
].map((part) => [{ ...grant, ...part }])

const client = {
  ...{ token: 'abcd2345', label: 'Print shop', expires_at: null },
  password_hash: `$2b$10$${'a'.repeat(53)}`,
}
const noClients = [
  ...['', 'abcd234', 'abcd2345x', 'ABCD2345', 'abcd234\n', '../../x2', 7, null].map((token) => ({
    token,
  })),
  ...['', 'a\nb', 'x'.repeat(65), 7].map((label) => ({ label })),
  ...['tomorrow', 7, '2027-01-31T18:00:00+01:00'].map((expires_at) => ({ expires_at })),
  ...[
    ...['', '*', 'secret', `$2b$10$${'a'.repeat(52)}`, `$2b$10$${'a'.repeat(53)}\nroot:x`, 7],
    ...[`$2b$10$${'a'.repeat(52)}:`, `$2b$04$${'a'.repeat(53)}`, `$6$salt$${'a'.repeat(86)}`],
  ].map((password_hash) => ({ password_hash })),
].map((part) => [{ ...client, ...part }])

/** Values that each param of `site.access` refuses. */
export const hostileAccess = {
  grants: [null, 7, {}, 'x', [7], [{}], [grant, grant], [grant, { ...grant, id: 2 }], ...noGrants],
  clients: [null, 7, {}, 'x', [7], [{}], [client, client], ...noClients],
  install: [null, 'true', 0, 1, {}, []],
}

export const validAccess = { grants: [grant], clients: [client], install: false }
