import { OBSTACLES } from '#dashboard/web/labels/backup.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'

/** Why the site cannot be backed up, with the page that solves it. */
export function Obstacle({ of }: { of: keyof typeof OBSTACLES }) {
  const { title, advice } = OBSTACLES[of]
  return (
    <Notice
      kind="warn"
      title={`This site cannot be backed up: ${title}`}
      actions={<ButtonLink to="/backups">Set up backups</ButtonLink>}
    >
      {advice}
    </Notice>
  )
}
