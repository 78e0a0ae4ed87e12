import { useQuery } from '@tanstack/react-query'
import { ApiError } from '#dashboard/web/api/client.ts'
import { planQuery, type SiteWork } from '#dashboard/web/api/site-work.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { BackUpFirst } from '#dashboard/web/features/backups/back-up-first.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const NEEDED: RefusalCode = 'backup_needed'
const NONE: SiteWork = { key: [], call: () => Promise.reject(new Error('No work')) }

/** Whether the server refuses the push because the live site has no recent backup. */
export function useNeedsBackup(work: SiteWork | undefined): boolean {
  const { error } = useQuery({ ...planQuery(work ?? NONE), enabled: work !== undefined })
  return error instanceof ApiError && error.code === NEEDED
}

interface NeedsBackupProps {
  live: SitePlace & { domain: string }
  checked: boolean
  onChange: (checked: boolean) => void
}

export const NeedsBackup = ({ live, checked, onChange }: NeedsBackupProps) => (
  <Notice kind="warn" title={`${unicodeOf(live.domain)} has no backup of the last hour`}>
    <p className="mb-2">
      <BackUpFirst site_id={live.id} />. The previous state that is kept for a week is on the same
      server.
    </p>
    <CheckField label="Push without a backup" checked={checked} onChange={onChange} />
  </Notice>
)
