// tier: gate
import { describe, expect, test } from 'bun:test'
import { open } from 'node:fs/promises'
import { listMembers, writeArchive } from '#dashboard/features/recovery/backup/archive.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'
import { runRecords, sweep } from '#tests/support/processes.ts'

const BLOCK = 512

/** A tar header with this text in its size field and a correct checksum. */
function headerWith(size: string): Buffer {
  const header = Buffer.alloc(BLOCK)
  header.write('manifest.json', 0)
  header.write('0000600\0', 100)
  header.write(size, 124, 12, 'latin1')
  header.write('        0', 148)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

async function membersOf(bytes: Buffer) {
  await using folder = await makeFolder()
  const path = `${folder.path}/hostile.tar`
  await Bun.write(path, bytes)
  const archive = await open(path, 'r')
  try {
    return await listMembers(archive)
  } finally {
    await archive.close()
  }
}

const padded = (header: Buffer) => Buffer.concat([header, Buffer.alloc(4 * BLOCK)])

describe('an archive', () => {
  test.each([
    ['a negative size that leads back to the header itself', '-0000001000'],
    ['a negative size', '-1'],
    ['a size with a sign', '+0000000001'],
    ['a hexadecimal size', '0x10'],
    ['a decimal digit', '00000000008'],
    ['text behind the digits', '00000001xyz'],
    ['no size', ''],
    ['spaces alone', '           '],
    ['a size in base 256 (GNU tar)', '\x80\0\0\0\0\0\0\0\0\0\x02\0'],
    ['a negative size in base 256', '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfe\0'],
    ['more than the archive holds', '00000010000'],
    ['the largest size', '77777777777'],
    ['twelve digits', '777777777777'],
  ])('with %s is refused', async (_, size) => {
    await expect(membersOf(padded(headerWith(size)))).rejects.toThrow('it is not a tar file')
  })

  test('with endless members is refused', async () => {
    const endless = Buffer.concat(Array.from({ length: 10_000 }, () => headerWith('00000000000')))

    await expect(membersOf(endless)).rejects.toThrow('it is not a tar file')
  })

  test('is read as it was written', async () => {
    await using folder = await makeFolder()
    const path = `${folder.path}/sound.tar`
    await writeArchive(path, [
      { name: 'one', text: 'first' },
      { name: 'two', text: 'x'.repeat(BLOCK) },
      { name: 'three', text: '' },
    ])

    expect(await membersOf(Buffer.from(await Bun.file(path).bytes()))).toEqual([
      { name: 'one', offset: 512, size: 5 },
      { name: 'two', offset: 1536, size: 512 },
      { name: 'three', offset: 2560, size: 0 },
    ])
  })
})

test('check and restore end with a readable line for an archive that contains itself', async () => {
  await using folder = await makeFolder()
  const path = `${folder.path}/hostile.tar`
  await Bun.write(path, padded(headerWith('-0000001000')))
  const reason = `${path} is not a backup of a dashboard, or is damaged\n`

  const checked = await runRecords(folder.path, ['check', path])
  const restored = await runRecords(folder.path, ['restore', path])

  expect(checked).toEqual({ code: 1, out: `found: ${reason}1 findings\n`, err: '' })
  expect(restored).toEqual({ code: 1, out: '', err: reason })
  await sweep()
}, 120_000)
