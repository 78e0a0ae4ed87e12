import { Button } from '#dashboard/web/ui/button.tsx'
import { Checklist } from '#dashboard/web/ui/checklist.tsx'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'

interface FirstStepsProps {
  hasKit: boolean
  targets: readonly BackupTargetView[]
  onCreateKit: () => void
  onAdd: () => void
  onCheck: (target: BackupTargetView) => void
}

/** What is missing before sites can be backed up; nothing after that. */
export function FirstSteps({ hasKit, targets, onCreateKit, onAdd, onCheck }: FirstStepsProps) {
  const used = targets.find(({ is_default }) => is_default) ?? targets[0]
  const steps = [
    {
      title: 'Create and confirm the recovery kit',
      about: 'A key that opens all backups if the dashboard and the servers are lost.',
      isDone: hasKit,
      action: (
        <Button kind="primary" onClick={onCreateKit}>
          Create recovery kit
        </Button>
      ),
    },
    {
      title: 'Add a backup target',
      about: 'A place on another machine that refuses to delete backups is the safest.',
      isDone: used !== undefined,
      action: (
        <Button kind="primary" onClick={onAdd}>
          Add target
        </Button>
      ),
    },
    {
      title: 'Check the target from a server',
      about: 'The server writes to it, reads it again, and tries to delete what it wrote.',
      isDone: used !== undefined && used.checked_at !== null,
      action: used && (
        <Button kind="primary" onClick={() => onCheck(used)}>
          Check target
        </Button>
      ),
    },
  ]
  if (steps.every(({ isDone }) => isDone)) return null
  return <Checklist title="Set up backups" steps={steps} />
}
