-- Branching looks for the branches that left another one at a place, or at a message behind it that is gone.
-- The parent comes before the conversation, so that statements that know a branch by its number keep to the primary key,
-- on empty tables too, where Postgres takes one index for as good as another.

-- CreateIndex
CREATE INDEX "branches_project_id_parent_branch_conversation_id_fork_seq_idx" ON "branches"("project_id", "parent_branch", "conversation_id", "fork_seq");
