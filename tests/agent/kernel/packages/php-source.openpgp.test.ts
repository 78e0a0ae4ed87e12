import { expect, test } from 'bun:test'
import { armored, keyOf } from '#agent/kernel/packages/php-source.ts'

/** Two keys, as `gpg --export` writes them. */
const FIRST = Buffer.from(
  'mDMEawQbohYJKwYBBAHaRw8BAQdAafNMsjLGm4F86BFNQrrZTyenuGv2LgffPtWqPB2MOQa0GUZpcnN0IDxmaXJzdEBwaHAuZXhhbXBsZT6IkAQTFggAOBYhBIQt7ugVZXqhDkwrNbrRt6w0iEgGBQJrBBuiAhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJELrRt6w0iEgGZ9kBANesezmqCVaiB/+Ylj6woAQQeBBO6Naz9mO15JSbACk7AQCL9OMz2OS+ZP5DU4jTV1CqV4sRIQvAKP+UsC3H7FVkDg==',
  'base64',
)
const SECOND = Buffer.from(
  'mDMEawQbuBYJKwYBBAHaRw8BAQdAHz4M99cnePjCvDSaAJzpipC0hs4ft6ZIj+mNurUNv6i0GVRoaXJkIDx0aGlyZEBwaHAuZXhhbXBsZT6IkAQTFggAOBYhBCLTHOouKlDvSgPvy26KubdYQSzCBQJrBBu4AhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheAAAoJEG6KubdYQSzCS0EBANpw3drklgop/+UkhlUZ9q0aPvv+3GSJbfvI5UwoZTd2AQDTRZzEGPxahNMUeAYx9NY9qOAtSQOyLaqmuyqxDH09CQ==',
  'base64',
)
const FINGERPRINTS = {
  first: '842DEEE815657AA10E4C2B35BAD1B7AC34884806',
  second: '22D31CEA2E2A50EF4A03EFCB6E8AB9B758412CC2',
}
/** The second, as `gpg --armor --export` writes it. */
const ARMORED =
  '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEawQbuBYJKwYBBAHaRw8BAQdAHz4M99cnePjCvDSaAJzpipC0hs4ft6ZIj+mN\nurUNv6i0GVRoaXJkIDx0aGlyZEBwaHAuZXhhbXBsZT6IkAQTFggAOBYhBCLTHOou\nKlDvSgPvy26KubdYQSzCBQJrBBu4AhsDBQsJCAcCBhUKCQgLAgQWAgMBAh4BAheA\nAAoJEG6KubdYQSzCS0EBANpw3drklgop/+UkhlUZ9q0aPvv+3GSJbfvI5UwoZTd2\nAQDTRZzEGPxahNMUeAYx9NY9qOAtSQOyLaqmuyqxDH09CQ==\n=hEhE\n-----END PGP PUBLIC KEY BLOCK-----\n'

test('finds the key with a fingerprint in a keyring, and takes nothing of another one', () => {
  const keyring = Buffer.concat([FIRST, SECOND])

  expect(keyOf(keyring, FINGERPRINTS.first)).toEqual(FIRST)
  expect(keyOf(keyring, FINGERPRINTS.second.toLowerCase())).toEqual(SECOND)
  expect(keyOf(FIRST, FINGERPRINTS.second)).toBeUndefined()
})

test('reads and writes the armor of GnuPG', () => {
  const written = armored(SECOND, 'A comment')

  expect(written.replace('Comment: A comment\n', '')).toBe(ARMORED)
  for (const text of [ARMORED, written, written.replaceAll('\n', '\r\n')]) {
    expect(keyOf(Buffer.from(text), FINGERPRINTS.second)).toEqual(SECOND)
  }
})

test.each([
  ['a page', Buffer.from('<html>404</html>')],
  ['a key that is cut off', SECOND.subarray(0, 30)],
])('refuses %s', (_, keyring) => {
  expect(() => keyOf(keyring, FINGERPRINTS.second)).toThrow(/^It is/)
})

test('has no key in an empty file', () => {
  expect(keyOf(new Uint8Array(), FINGERPRINTS.first)).toBeUndefined()
})
