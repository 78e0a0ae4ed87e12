import { expect, test } from 'bun:test'
import { isMetadata } from '#agent/kernel/host/metadata-addresses.ts'

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  'fe80::1',
  'fd00:ec2::254',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
])('%s is an address of a metadata service', (address) => {
  expect(isMetadata(address)).toBe(true)
})

test.each(['127.0.0.1', '10.0.0.2', '1.1.1.1', 'fd00:ec2::255', 'backup.example.test', ''])(
  '%j is none',
  (address) => {
    expect(isMetadata(address)).toBe(false)
  },
)
