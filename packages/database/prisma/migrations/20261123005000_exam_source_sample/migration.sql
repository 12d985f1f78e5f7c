-- AlterEnum
ALTER TYPE "ExamSource" ADD VALUE 'sample';
