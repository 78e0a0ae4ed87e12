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

/** Values that each param of `site.access` refuses. */
export const hostileAccess = {
  grants: [null, 7, {}, 'x', [7], [{}], [grant, grant], [grant, { ...grant, id: 2 }], ...noGrants],
  install: [null, 'true', 0, 1, {}, []],
}

export const validAccess = { grants: [grant], install: false }
