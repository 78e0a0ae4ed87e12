// tier: gate
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { confinedRestic } from '#dashboard/features/backups/off-site/confined-programs.ts'
import { providedRestic } from '#dashboard/features/backups/off-site/provide-restic.ts'
import { runProgram } from '#dashboard/features/backups/off-site/run-program.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { resticPackage } from '#tests/support/storage/restic.ts'

const URL = 'https://127.0.0.1:9'
const S3 = {
  ...{ kind: 's3' as const, url: URL, bucket: 'abc', prefix: 'p', region: 'us-east-1' },
  ...{ user: 'AK', ca: '' },
}
const SFTP = {
  ...{ kind: 'sftp' as const, host: '127.0.0.1', port: 9, user: 'u', path: '/p' },
  host_key: 'ssh-ed25519 AAAA',
}

unless(lab.available()).test(
  'restic of the dashboard cannot run a program that its settings name',
  async () => {
    const data = await mkdtemp(join(tmpdir(), 'confined-'))
    const files = join(data, 'off-site')
    await mkdir(`${data}/cache`)
    await mkdir(files)
    await cp(await resticPackage(), `${data}/cache/restic.deb`)
    const program = await providedRestic(data)
    const touch = join(data, 'touch.sh')
    await Bun.write(touch, `#!/bin/sh\n: > ${data}/ran\n`)
    await chmod(touch, 0o755)
    const keys = ['aws_access_key_id=AK', 'aws_secret_access_key=sk']
    const lines = ['[default]', ...keys, `credential_process=${touch} now`, '']
    await Bun.write(`${files}/aws`, lines.join('\n'))
    await Bun.write(`${files}/password`, 'password\n')
    await Bun.write(`${data}/records`, 'the records\n')
    const env = {
      AWS_SHARED_CREDENTIALS_FILE: `${files}/aws`,
      RESTIC_PASSWORD_FILE: `${files}/password`,
    }
    const s3 = ['-r', `s3:${URL}/abc/p`, '--no-cache', 'cat', 'config']
    const sftp = ['-r', 'sftp:u@127.0.0.1:/p', '-o', `sftp.command=${touch}`, 'cat', 'config']
    const reading = ['-r', `${data}/none`, '--password-file', `${data}/records`, 'cat', 'config']
    const limited = { env, is_limited: true, stall_ms: 5_000 }
    const hasRun = () => existsSync(`${data}/ran`)
    /** restic may end before the program that it started. */
    const expectRun = async (argv: readonly string[]) => {
      await runProgram(argv, limited)
      expect(await lab.poll(() => hasRun() || undefined)).toBe(true)
      await rm(`${data}/ran`)
    }
    const expectRefused = async (argv: readonly string[]) => {
      expect((await runProgram(argv, limited)).stderr).toContain('permission denied')
      expect(hasRun()).toBe(false)
    }
    const confined = (place: typeof S3 | typeof SFTP) =>
      confinedRestic(program, { place, folder: files })

    // Without the mechanism, both attacks run the program.
    await expectRun([program, ...s3])
    await expectRun([program, ...sftp])
    expect((await runProgram([...(await confined(S3)), ...s3], limited)).code).toBe(1)
    expect(hasRun()).toBe(false)
    await expectRefused([...(await confined(SFTP)), ...sftp])
    await expectRefused([...(await confined(S3)), ...reading])
    await rm(data, { recursive: true })
  },
  60_000,
)
