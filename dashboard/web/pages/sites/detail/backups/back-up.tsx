import { useMutation, useQuery } from '@tanstack/react-query'
import { Archive, HardDrive } from 'lucide-react'
import { targetsQuery } from '#dashboard/web/api/backups.ts'
import { createBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'

/** A backup in the target of the site, or in another one. */
export function BackUp({ site, target_id }: { site: Site; target_id: number | null }) {
  const start = useStart(site.id)
  const { data: targets = [] } = useQuery(targetsQuery)
  const { mutate, isPending } = useMutation({
    mutationFn: (chosen?: number) => start(createBackup(site, chosen)),
    onError: toastError,
  })
  const others = targets.filter(({ id, checked_at }) => id !== target_id && checked_at !== null)
  return (
    <>
      <Button kind="primary" icon={<Archive />} busy={isPending} onClick={() => mutate(undefined)}>
        Back up now
      </Button>
      {others.length > 0 && (
        <Menu name="Back up to another target">
          {others.map(({ id, name }) => (
            <MenuItem key={id} icon={<HardDrive />} onClick={() => mutate(id)}>
              Back up to {name}
            </MenuItem>
          ))}
        </Menu>
      )}
    </>
  )
}
