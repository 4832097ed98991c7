-- Erasing an id looks for the transcripts that have it under any project key, and for the forks that were taken of it.

-- CreateIndex
CREATE INDEX "transcripts_project_id_session_id_idx" ON "transcripts"("project_id", "session_id");

-- Most conversations are not forks.
-- CreateIndex
CREATE INDEX "conversations_forks_idx" ON "conversations"("project_id", "parent_conversation_id") WHERE "parent_conversation_id" IS NOT NULL;
