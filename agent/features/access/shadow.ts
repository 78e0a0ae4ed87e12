import type { Host } from '#agent/kernel/host/ports.ts'

/**
 * The day on which a closed account expired. It differs from that of an account in the trash and of
 * one that an administrator closed: only accounts that were closed here are reopened.
 */
export const CLOSED = '2'

/** Returns the expiry of each account as a day: shadow(5). */
export async function expiries({ files }: Host): Promise<Map<string, string>> {
  const lines = ((await files.read('/etc/shadow', 64 << 20)) ?? '').split('\n')
  return new Map(
    lines.map((line) => {
      const [account = '', ...fields] = line.split(':')
      return [account, fields[6] ?? ''] as const
    }),
  )
}

/** Sets the expiry: a date, days since 1970, or an empty text for never. */
export async function expire({ shell }: Host, account: string, day: string): Promise<void> {
  await shell.run(['usermod', '--expiredate', day, '--', account])
}
