import { KeyRound } from 'lucide-react'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { BackupKits, BackupKitView } from '#shared/backups/api/backups.ts'
import { restoreCommands } from './kit-file.ts'

interface KitCardProps {
  kits: BackupKits
  onCreate: () => void
}

/** The key that opens backups without this dashboard. */
export function KitCard({ kits: { in_use, pending }, onCreate }: KitCardProps) {
  const create = (
    <Button needs="admin" icon={<KeyRound />} onClick={onCreate}>
      Create recovery kit
    </Button>
  )
  return (
    <Card title="Recovery kit" actions={(in_use ?? pending) && create}>
      <div className="flex flex-col gap-4">
        {pending && <Pending kit={pending} isFirst={in_use === null} />}
        {in_use && <InUse kit={in_use} />}
      </div>
      {in_use === null && pending === null && (
        <Empty icon={<KeyRound />} title="There is no recovery kit" action={create}>
          The kit is a key that opens all backups without this dashboard. Only you have it.
        </Empty>
      )}
    </Card>
  )
}

/** A challenge is shown once: a kit whose dialog was closed cannot be confirmed any more. */
function Pending({ kit, isFirst }: { kit: BackupKitView; isFirst: boolean }) {
  const title = isFirst ? 'The recovery kit is not confirmed' : 'A newer kit is not confirmed'
  return (
    <Notice kind="warn" title={`${title} and not in use`}>
      It was created <Time at={kit.created_at} /> with the fingerprint{' '}
      <code className="font-mono text-xs">{kit.fingerprint}</code>.{' '}
      {isFirst
        ? 'Sites are not backed up before a kit is confirmed.'
        : 'Backups still use the kit below.'}{' '}
      Create a kit again, save it, and choose the saved file to confirm it.
    </Notice>
  )
}

function InUse({ kit: { fingerprint, created_at, confirmed_at } }: { kit: BackupKitView }) {
  return (
    <>
      <Facts
        of={{
          Fingerprint: <code className="font-mono text-xs">{fingerprint}</code>,
          Created: <Time at={created_at} />,
          'In use since': <Time at={confirmed_at} />,
        }}
      />
      <Commands fingerprint={fingerprint} />
    </>
  )
}

const TITLES = ['Decrypt the password of a repository', 'Restore the files', 'Restore the database']

function Commands({ fingerprint }: { fingerprint: string }) {
  const commands = restoreCommands(fingerprint)
  return (
    <details className="rounded-lg border border-line">
      <summary className="cursor-pointer px-3 py-2">
        How to restore a site with the kit alone
      </summary>
      <ol className="flex flex-col gap-3 border-t border-line p-3">
        {commands.map((command, at) => (
          <li key={command} className="flex flex-col gap-1.5">
            <span>
              {at + 1}. {TITLES[at]}
            </span>
            <Snippet text={command} what={`command ${at + 1}`} />
          </li>
        ))}
      </ol>
    </details>
  )
}
